# SPDX-License-Identifier: BSD-3-Clause
"""Writes dna.phy: ten sequences that came of one another by a few changes, the same in every run."""
import random

LENGTH, COUNT = 400, 10
random.seed(7)
known = ["".join(random.choice("ACGT") for _ in range(LENGTH))]
while len(known) < COUNT:
    letters = list(random.choice(known))
    for _ in range(25):
        letters[random.randrange(LENGTH)] = random.choice("ACGT")
    known.append("".join(letters))
with open("dna.phy", "w") as out:
    out.write("%d %d\n" % (COUNT, LENGTH))
    out.writelines("taxon%-5d %s\n" % (i, letters) for i, letters in enumerate(known))
