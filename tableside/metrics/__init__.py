"""What a monitoring system reads of the host: numbers in Prometheus' text format, on the loopback, read only."""
