"""The law as cases: at least one a sentence of the source rules, each naming its rule and where that is written."""
