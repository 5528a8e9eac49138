"""The supervisor's page: all tables of the host in a browser. It reads; acts are done at the table and the desk."""
