#!/usr/bin/env python3
"""An editor's side of the Debug Adapter Protocol, written from its specification, against `isaforge dap`: sessions that
editors have, and what has to come back.

    client.py --isaforge ISAFORGE --examples DIRECTORY
"""
import argparse
import base64
import json
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

SECONDS = 30

SQUARES = """        IAND.32: $S0, $S0, #0;      // the sum
        IAND.32: $S1, $S1, #0;
        IADD.32: $S1, $S1, #5;      // the number
        IAND.32: $S3, $S3, #0;
.next:
        CAL: $RA, @square;
        ADD.32: $S0, $S0, $S2;
        IADD.32: $S1, $S1, #-1;
        BLT.32: $S3, $S1, @next;
.done:
        MST.32: $S0, $S3, #64;
        IAND.32: $P0, $P0, #0;
        SYSCL: #0;                  // exit
.square:
        MUL.32: $S2, $S1, $S1;
        RET: $RA;
"""
LOOP = ".loop:\n        IADD.32: $S0, $S0, #1;\n        JMP: @loop;\n"
ISA = "fabrisc-2022-05-15"


class Failed(Exception):
    pass


class Client:
    def __init__(self, isaforge, folder):
        self.process = subprocess.Popen([isaforge, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.listen(self.process.stdout, self.process.stdin)

    def listen(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.number = 0
        self.events = []
        self.incoming = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            length = None
            while (line := self.reader.readline().strip()):
                name, value = line.split(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if length is None:
                self.incoming.put(None)
                return
            self.incoming.put(json.loads(self.reader.read(length)))

    def raw(self, data):
        self.writer.write(data)
        self.writer.flush()

    def send(self, command, **arguments):
        self.number += 1
        body = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self.number

    def response(self, number):
        while True:
            message = self.incoming.get(timeout=SECONDS)
            assert message is not None, "the adapter has gone"
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == number:
                return message

    def ask(self, command, **arguments):
        answer = self.response(self.send(command, **arguments))
        if not answer["success"]:
            raise Failed(answer["message"])
        assert answer["command"] == command
        return answer.get("body", {})

    def refused(self, command, **arguments):
        try:
            body = self.ask(command, **arguments)
        except Failed as failed:
            return str(failed)
        raise AssertionError(f"{command} gives {body}")

    def event(self, name):
        while True:
            for i, each in enumerate(self.events):
                if each["event"] == name:
                    return self.events.pop(i)["body"]
            message = self.incoming.get(timeout=SECONDS)
            assert message is not None and message["type"] == "event", (name, message)
            self.events.append(message)

    def begin(self, breakpoints=None, functions=None, **arguments):
        able = self.ask("initialize", adapterID="isaforge", linesStartAt1=True)
        assert able["supportsStepBack"] and able["supportsDataBreakpoints"]
        self.ask("launch", **arguments)
        self.event("initialized")
        results = []
        if breakpoints is not None:
            results = self.ask("setBreakpoints", source={"path": breakpoints[0]}, breakpoints=breakpoints[1])["breakpoints"]
        if functions is not None:
            results = self.ask("setFunctionBreakpoints", breakpoints=functions)["breakpoints"]
        self.ask("configurationDone")
        return results

    def stop(self, reason):
        body = self.event("stopped")
        assert body["reason"] == reason, body
        return body

    def line(self, thread=1):
        frame = self.ask("stackTrace", threadId=thread)["stackFrames"][0]
        return frame["line"], frame["name"]

    def go(self, command, reason, **arguments):
        self.ask(command, threadId=1, **arguments)
        self.stop(reason)
        return self.line()

    def registers(self, thread=1):
        values = {}
        for scope in self.ask("scopes", frameId=thread)["scopes"]:
            if scope["name"] in ("Memory", "Late results"):
                continue
            for each in self.ask("variables", variablesReference=scope["variablesReference"])["variables"]:
                values[each["name"]] = each["value"]
        return values

    def output(self, category):
        return "".join(each["body"]["output"] for each in self.events
                       if each["event"] == "output" and each["body"]["category"] == category)

    def end(self):
        self.ask("disconnect")
        self.process.stdin.close()
        assert self.process.wait(timeout=SECONDS) == 0


class Attached(Client):
    """A client of `isaforge run --dap`."""

    def __init__(self, isaforge, folder, program):  # pylint: disable=super-init-not-called
        self.process = subprocess.Popen([isaforge, "run", program, "--dap", "0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, cwd=folder)
        waits = self.process.stderr.readline().decode()
        self.socket = socket.create_connection(("127.0.0.1", int(waits.rsplit(":", 1)[1])))
        self.listen(self.socket.makefile("rb"), self.socket.makefile("wb"))
        self.ask("initialize", adapterID="isaforge", linesStartAt1=True)

    def status(self):
        return self.process.wait(SECONDS)


def attaching(isaforge, folder):
    """A program that waits for an editor goes on where that detaches, and else ends with it."""
    client = Attached(isaforge, folder, "loop.elf")
    assert client.refused("launch", program="loop.elf") == "a program is here already: attach to it"
    client.ask("attach")
    client.event("initialized")
    client.ask("configurationDone")
    client.stop("entry")
    client.ask("continue", threadId=1)
    client.ask("pause", threadId=1)
    client.stop("pause")
    client.ask("disconnect", terminateDebuggee=True)
    assert client.status() == 0

    client = Attached(isaforge, folder, "squares.elf")
    client.ask("attach")
    client.event("initialized")
    found = client.ask("setBreakpoints", source={"path": os.path.join(folder, "squares.s")}, breakpoints=[{"line": 12}])
    assert found["breakpoints"][0]["verified"], found
    client.ask("configurationDone")
    client.stop("entry")
    client.ask("continue", threadId=1)
    client.stop("breakpoint")
    client.ask("next", threadId=1)
    client.stop("step")
    client.ask("evaluate", expression="set P0 = 7", frameId=1, context="repl")
    client.ask("disconnect")
    assert client.status() == 7, "the program has not gone on with what the editor has changed"

    client = Attached(isaforge, folder, "loop.elf")
    client.ask("attach")
    client.socket.shutdown(socket.SHUT_RDWR)
    assert client.status() == 0, "the program goes on though the editor has gone"


def lines_and_steps(isaforge, folder):
    """Breakpoints with conditions and counts, steps both ways, what changed."""
    client = Client(isaforge, folder)
    source = os.path.join(folder, "squares.s")
    placed = client.begin((source, [{"line": 7, "condition": "S1 == 3"}, {"line": 15, "hitCondition": "2"},
                                    {"line": 99}, {"line": 8, "logMessage": "S0 is {S0}"}, {"line": 1, "condition": "S0 +"}]),
                          program="squares.elf", stopOnEntry=True)
    assert [each["verified"] for each in placed] == [True, True, False, True, False], placed
    assert placed[0]["line"] == 7 and placed[0]["source"]["path"] == source
    assert placed[4]["message"].startswith("the condition: "), placed
    client.stop("entry")
    assert client.line() == (1, "0x0")
    assert client.ask("threads")["threads"] == [{"id": 1, "name": "hart 0"}]
    assert client.go("continue", "breakpoint") == (15, "square")
    assert client.registers()["$S1"] == "0x00000004"
    assert client.go("stepOut", "step") == (7, "next+4")
    assert client.go("next", "step") == (8, "next+8")
    assert client.registers()["$S0"] == "0x00000029"
    assert client.go("stepBack", "step") == (7, "next+4")
    assert client.registers()["$S0"] == "0x00000019"
    assert client.go("stepBack", "step", granularity="instruction") == (16, "square+4")
    assert client.go("reverseContinue", "breakpoint") == (15, "square")  # on the way back every hit counts
    assert client.go("reverseContinue", "breakpoint") == (15, "square")
    assert client.registers()["$S1"] == "0x00000005"
    assert client.go("reverseContinue", "step")[0] == 1
    assert client.go("next", "step", granularity="line")[0] == 2
    assert client.go("continue", "breakpoint") == (7, "next+4")
    assert client.registers()["$S1"] == "0x00000003"
    assert "S0 is 25\nS0 is 41\n" in client.output("console"), client.output("console")
    client.ask("setBreakpoints", source={"path": source}, breakpoints=[])
    client.ask("continue", threadId=1)
    assert client.event("exited") == {"exitCode": 0}
    client.event("terminated")
    client.end()


def state(isaforge, folder):
    """Registers, memory and code are shown and changed; what is watched stops the program."""
    client = Client(isaforge, folder)
    client.begin(functions=[{"name": "done"}, {"name": "nowhere"}], program="squares.elf", stopAtEnd=True)
    client.stop("function breakpoint")
    assert client.line() == (11, "done")
    frame = client.ask("stackTrace", threadId=1)["stackFrames"][0]
    code = client.ask("disassemble", memoryReference=frame["instructionPointerReference"], instructionOffset=-2,
                      instructionCount=5)["instructions"]
    assert [each["instruction"].split()[0] for each in code] == ["IADD.32:", "BLT.32:", "MST.32:", "IAND.32:", "SYSCL:"], code
    assert code[2]["address"] == frame["instructionPointerReference"] and code[2]["symbol"] == "done" and code[2]["line"] == 11
    assert len(client.ask("disassemble", memoryReference="0x0", instructionOffset=-10, instructionCount=20)["instructions"]) == 20
    info = client.ask("dataBreakpointInfo", name="64:4")
    assert info["accessTypes"] == ["read", "write", "readWrite"]
    placed = client.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
    assert placed[0]["verified"]
    assert client.ask("evaluate", expression="S0 + 1", context="watch")["result"] == "0x0000000000000038 (56)"
    assert client.ask("setExpression", expression="S0", value="0x1234")["value"] == "0x00001234"
    scope = client.ask("scopes", frameId=1)["scopes"]
    file = next(each for each in scope if any(
        one["name"] == "$S1" for one in client.ask("variables", variablesReference=each["variablesReference"])["variables"]))
    assert client.ask("setVariable", variablesReference=file["variablesReference"], name="$S1", value="7")["value"] == "0x00000007"
    assert client.refused("setVariable", variablesReference=file["variablesReference"], name="$S1", value="nothing")
    assert client.refused("variables", variablesReference=9999)
    client.ask("continue", threadId=1)
    assert client.stop("data breakpoint")["text"].endswith("[0x40:4]: 00 00 00 00 -> 34 12 00 00")
    read = client.ask("readMemory", memoryReference="0x40", count=4)
    assert base64.b64decode(read["data"]) == bytes.fromhex("34120000"), read
    assert client.ask("writeMemory", memoryReference="0x40", data=base64.b64encode(b"ab").decode())["bytesWritten"] == 2
    assert base64.b64decode(client.ask("readMemory", memoryReference="0x3f", count=4)["data"])[1:3] == b"ab"
    assert client.ask("readMemory", memoryReference="0xfffffff0", count=64)["unreadableBytes"] == 64
    said = client.ask("evaluate", expression="info breakpoints", context="repl")["result"]
    assert "watchpoint" in said and "<done>" in said, said
    assert client.refused("evaluate", expression="stap 1", context="repl").startswith("error: there is no command")
    assert client.ask("evaluate", expression="$S1", context="repl")["result"] == "0x00000007 (7)"
    client.ask("evaluate", expression="step", context="repl")
    client.stop("step")
    assert client.ask("completions", text="rev", column=4)["targets"] == [{"label": "reverse-step"}, {"label": "reverse-continue"}]
    targets = client.ask("gotoTargets", source={"path": os.path.join(folder, "squares.s")}, line=11)["targets"]
    client.ask("goto", threadId=1, targetId=targets[0]["id"])
    client.stop("goto")
    assert client.line() == (11, "done")
    assert client.ask("loadedSources")["sources"][0]["name"] == "squares.s"
    assert client.go("continue", "data breakpoint")[0] == 12
    client.ask("setDataBreakpoints", breakpoints=[])
    client.ask("continue", threadId=1)
    assert client.stop("step")["description"] == "the program has ended"
    client.ask("setFunctionBreakpoints", breakpoints=[{"name": "square"}])
    assert client.go("reverseContinue", "function breakpoint") == (15, "square")
    client.ask("restart")
    client.stop("function breakpoint")
    assert client.registers()["$S1"] == "0x00000005"
    assert client.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": "0x0", "offset": 4}])["breakpoints"][0]["verified"]
    assert client.go("reverseContinue", "instruction breakpoint") == (2, "0x4")
    client.end()


def running(isaforge, folder):
    """A source is assembled; a program that runs is heard and stopped."""
    client = Client(isaforge, folder)
    client.begin(program="loop.s", isa=ISA, harts=2)
    assert len(client.ask("threads")["threads"]) == 2
    placed = client.ask("setBreakpoints", source={"path": os.path.join(folder, "loop.s")}, breakpoints=[{"line": 3}])
    assert placed["breakpoints"][0]["verified"]
    client.stop("breakpoint")
    client.ask("setBreakpoints", source={"path": os.path.join(folder, "loop.s")}, breakpoints=[])
    client.ask("continue", threadId=2)
    assert client.refused("next", threadId=1) == "the program runs; pause stops it"
    client.ask("pause", threadId=1)
    client.stop("pause")
    for _ in range(1000):  # harts take turns, and the pause may come in the first one's first
        if all(int(client.registers(hart)["$S0"], 16) > 0 for hart in (1, 2)):
            break
        client.ask("continue", threadId=2)
        client.ask("pause", threadId=1)
        client.stop("pause")
    else:
        raise Failed("one hart never had its turn")
    assert client.refused("stackTrace", threadId=3)
    client.ask("stepBack", threadId=2, granularity="instruction")
    assert client.stop("step")["threadId"] == 2
    client.end()


def kernel(isaforge, folder):
    """Wavefronts are threads, and so are the lanes of the one that stopped."""
    client = Client(isaforge, folder)
    client.begin(program="vector_add.s", isa="gcn1.4", grid="150", arguments=["zero:600", "zero:600", "zero:600", 150],
                 stopOnEntry=True)
    client.stop("entry")
    threads = client.ask("threads")["threads"]
    assert len(threads) == 3 + 64, threads
    assert threads[1]["name"] == "hart 1, group (1, 0, 0), wavefront 0"
    assert threads[3]["name"] == "hart 0, group (0, 0, 0), wavefront 0, lane 0"
    lane = threads[3 + 5]["id"]
    assert client.registers(lane)["v0"] == "0x00000005"
    assert client.registers(1)["v0"] == "{all: 00000000 +1}"
    vector = next(one for each in client.ask("scopes", frameId=1)["scopes"]
                  for one in client.ask("variables", variablesReference=each["variablesReference"])["variables"]
                  if one["name"] == "v0")
    lanes = client.ask("variables", variablesReference=vector["variablesReference"], start=62)["variables"]
    assert [each["value"] for each in lanes] == ["0x0000003e", "0x0000003f"], lanes
    client.ask("setVariable", variablesReference=vector["variablesReference"], name="[63]", value="1000")
    assert client.ask("evaluate", expression="v0[63]", frameId=1, context="hover")["result"] == "0x000003e8 (1000)"
    placed = client.ask("setFunctionBreakpoints", breakpoints=[{"name": "vector_add"}])["breakpoints"]
    assert placed[0]["verified"]
    client.ask("next", threadId=2, granularity="instruction")
    assert client.stop("step")["threadId"] == 2
    client.ask("setFunctionBreakpoints", breakpoints=[])
    client.ask("continue", threadId=1)
    client.event("terminated")
    client.end()


def refusals(isaforge, folder):
    """What is wrong is said, and nothing dies of it."""
    client = Client(isaforge, folder)
    assert client.refused("threads").startswith("there is no program yet")
    assert client.refused("fly") == "there is no request 'fly' here"
    client.ask("initialize")
    assert client.refused("launch").startswith("say with \"program\"")
    assert "nowhere.elf" in client.refused("launch", program="nowhere.elf")
    assert client.refused("launch", program="loop.s").startswith("say with \"isa\"")
    assert "wrong.s" in client.refused("launch", program="wrong.s", isa=ISA)
    assert "--memory" in client.refused("launch", program="squares.elf", memory="much")
    assert client.refused("attach")
    client.raw(b"Content-Length: 7\r\n\r\nno json")
    client.raw(b"Content-Length: 4\r\n\r\nnull")
    client.raw(b"Content-Length: 22\r\n\r\n{\"type\":\"request\",  1}")
    client.ask("launch", program="squares.elf")
    for command in ("setBreakpoints", "variables", "scopes", "evaluate", "disassemble", "readMemory", "writeMemory", "source",
                    "gotoTargets", "goto", "setVariable", "dataBreakpointInfo", "completions", "stackTrace", "exceptionInfo"):
        number = client.send(command, threadId="x", frameId=-1, source=[], variablesReference={}, expression=7, line="1")
        client.response(number)
    client.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--examples", required=True)
    options = parser.parse_args()
    isaforge = os.path.abspath(options.isaforge)
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        for name, text in (("squares.s", SQUARES), ("loop.s", LOOP), ("wrong.s", "nothing;\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        shutil.copy(os.path.join(options.examples, "gcn", "vector_add.gfx900.s"), os.path.join(folder, "vector_add.s"))
        for name in ("squares", "loop"):
            subprocess.run([isaforge, "asm", "-i", ISA, f"{name}.s", "-o", f"{name}.elf"], check=True, cwd=folder)
        for session in (lines_and_steps, state, running, kernel, refusals, attaching):
            session(isaforge, folder)
            print(f"{session.__name__}: as expected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
