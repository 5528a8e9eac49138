"""The applications: the table-side daemon, the technician's tool, the house's view."""
