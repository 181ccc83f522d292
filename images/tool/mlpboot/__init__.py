"""mlpboot: what is done with stored runs, on any computer with Python 3.9 or later."""
