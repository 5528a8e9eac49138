"""For technicians: what goes over a cable, in words; a recording had again with today's driver."""
