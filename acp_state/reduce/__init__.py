"""The reducers: a module for each family of behaviour, and the tables that map the wire to them."""
