"""GAT 3.50, by which a machine tells the digests of its own firmware (docs/protocols/gat.md)."""
