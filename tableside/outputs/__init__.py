"""What goes out to people: texts of alerts, pages, the engineers' log."""
