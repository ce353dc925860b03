"""The layers of networks by family, as parts of the interpreter."""
