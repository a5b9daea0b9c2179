"""The page that ``acp-state show --html`` writes: `entries` and `steps` say what, `page` writes it.

What the page does with it is in ``page.js``, how it looks in ``page.css``.
"""
