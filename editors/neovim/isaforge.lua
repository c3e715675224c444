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
      or vim.lsp.start_client({ name = "isaforge", cmd = command, init_options = settings, root_dir = vim.fn.getcwd() })
    vim.lsp.buf_attach_client(event.buf, vim.g.isaforge_client)
  end,
})
