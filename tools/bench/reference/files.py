"""Reading tables of numbers from text; each case is told the file."""
import numpy as np


def csv(form, size):
    return lambda: np.loadtxt(size['path'], delimiter=',', skiprows=1)


CASES = {'csv': csv}
