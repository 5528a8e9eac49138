"""The supervisor's page: all tables of the host in a browser, and acts under a badge that was tapped at a table."""
