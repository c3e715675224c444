-- Isaforge for Neovim 0.7 and later: put this file into ~/.config/nvim/plugin/.
-- Programs are buffers of the type `isaforge-asm`, descriptions (*.isa) of the type `isa`. A program is recognised by a first
-- comment such as `// isaforge: wishbone-gpu`; for others say `:set filetype=isaforge-asm`.
local function says_which(buffer)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, 16, false)) do
    if line:find("isaforge:", 1, true) then return true end
  end
  return false
end

local group = vim.api.nvim_create_augroup("isaforge", {})

-- Neovim asks for colours from 0.9 on; before that, this does.
local colours = {
  comment = "Comment", string = "String", number = "Number", keyword = "Statement", macro = "Macro", decorator = "PreProc",
  ["function"] = "Function", variable = "Identifier", enumMember = "Constant", parameter = "Identifier", type = "Type",
  method = "Function",
}
local space = vim.api.nvim_create_namespace("isaforge")

local function colour(buffer, client)
  local legend = client.server_capabilities.semanticTokensProvider.legend.tokenTypes
  local wide = client.offset_encoding ~= "utf-8"
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  client.request("textDocument/semanticTokens/full", params, function(_, result)
    if not result or not vim.api.nvim_buf_is_loaded(buffer) then return end
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
    local lines, line, column = vim.api.nvim_buf_get_lines(buffer, 0, -1, false), 0, 0
    for i = 1, #result.data, 5 do
      column = result.data[i] == 0 and column + result.data[i + 1] or result.data[i + 1]
      line = line + result.data[i]
      local text, name = lines[line + 1], colours[legend[result.data[i + 3] + 1]]
      if text and name then
        local function byte(at) return wide and vim.str_byteindex(text, math.min(at, #text), true) or at end
        pcall(vim.api.nvim_buf_add_highlight, buffer, space, name, line, byte(column), byte(column + result.data[i + 2]))
      end
    end
  end, buffer)
end

local function keep_coloured(buffer, client)
  if vim.lsp.semantic_tokens then return end
  colour(buffer, client)
  -- Messages come when the program has been assembled, and with them what its names are.
  vim.api.nvim_create_autocmd({ "DiagnosticChanged", "TextChanged", "InsertLeave" }, {
    group = group,
    buffer = buffer,
    callback = function() colour(buffer, client) end,
  })
end

vim.api.nvim_create_autocmd({ "BufNewFile", "BufRead" }, {
  group = group,
  pattern = "*.isa",
  callback = function() vim.bo.filetype = "isa" end,
})
vim.api.nvim_create_autocmd({ "BufNewFile", "BufRead" }, {
  group = group,
  pattern = { "*.s", "*.S", "*.asm", "*.inc" },
  callback = function(event)
    if says_which(event.buf) then vim.bo[event.buf].filetype = "isaforge-asm" end
  end,
})

vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = { "isaforge-asm", "isa" },
  callback = function(event)
    local settings = vim.g.isaforge_settings or vim.empty_dict() -- { isa = "wishbone-gpu" }
    local command = vim.g.isaforge_command or { "isaforge", "lsp" }
    if vim.lsp.start then
      vim.lsp.start({ name = "isaforge", cmd = command, init_options = settings, root_dir = vim.fn.getcwd() })
      return
    end
    vim.g.isaforge_client = vim.g.isaforge_client
      or vim.lsp.start_client({
        name = "isaforge", cmd = command, init_options = settings, root_dir = vim.fn.getcwd(),
        on_attach = function(client, buffer) keep_coloured(buffer, client) end,
      })
    vim.lsp.buf_attach_client(event.buf, vim.g.isaforge_client)
  end,
})

-- Debugging, where the plugin nvim-dap is there: `:lua require('dap').continue()` runs the program of the buffer.
local found, dap = pcall(require, "dap")
if found then
  dap.adapters.isaforge = function(ready, configuration)
    if configuration.request == "attach" then
      ready({ type = "server", host = "127.0.0.1", port = configuration.port })
    else
      ready({ type = "executable", command = "isaforge", args = { "dap" } })
    end
  end
  dap.configurations["isaforge-asm"] = {
    vim.tbl_extend("force", { type = "isaforge", request = "launch", name = "This program", program = "${file}", stopAtEnd = true },
      vim.g.isaforge_settings or {}),
    { type = "isaforge", request = "attach", name = "What waits at port 4711", port = 4711 },
  }
end
