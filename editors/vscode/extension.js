// Starts the language server for programs and descriptions, and the debug adapter for programs.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function settings() {
    const { isa, variant, include, define } = vscode.workspace.getConfiguration("isaforge");
    return { isa, variant, include, define };
}

function command() {
    return vscode.workspace.getConfiguration("isaforge").get("command") || "isaforge";
}

exports.activate = async function activate(context) {
    client = new LanguageClient(
        "isaforge",
        "Isaforge",
        { command: command(), args: ["lsp"] },
        {
            documentSelector: [{ language: "isaforge-asm" }, { language: "isaforge-description" }],
            initializationOptions: settings(),
            synchronize: {
                fileEvents: vscode.workspace.createFileSystemWatcher("**/{isaforge.json,*.isa,*.inc,*.s}"),
            },
        },
    );
    context.subscriptions.push(
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (!event.affectsConfiguration("isaforge")) return;
            client.sendNotification("workspace/didChangeConfiguration", { settings: { isaforge: settings() } });
        }),
        vscode.debug.registerDebugAdapterDescriptorFactory("isaforge", {
            createDebugAdapterDescriptor: ({ configuration }) =>
                configuration.request === "attach" && configuration.port
                    ? new vscode.DebugAdapterServer(configuration.port, "127.0.0.1")
                    : new vscode.DebugAdapterExecutable(command(), ["dap"]),
        }),
    );
    await client.start();
};

exports.deactivate = function deactivate() {
    return client && client.stop();
};
