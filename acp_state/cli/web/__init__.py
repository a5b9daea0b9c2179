"""The page that ``acp-state show --html`` writes: `entries` and `steps` say what, `page` writes it.

What the page does with it stands in the scripts: ``time`` applies what the messages changed and
takes it back, ``content``, ``entries``, ``sessions``, ``chart`` and ``raw`` draw, ``keys`` listens.
How it looks stands in ``page.css``.
"""
