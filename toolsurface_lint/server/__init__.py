"""The language server. It needs pygls (the extra `lsp`), which nothing outside of this package imports."""
