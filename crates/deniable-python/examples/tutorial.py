"""From a data frame to an estimate that can be believed, in twenty lines.

Run it as a script, or cell by cell in an editor that knows `# %%`. It needs pandas, pyarrow and matplotlib. With a file
name it writes its picture there.
"""

# %% What 20 000 people would answer. Nobody should have to tell.
import sys

import numpy
import pandas

import deniable

random = numpy.random.default_rng()
people = 20_000
answers = pandas.DataFrame({
    "smokes": random.random(people) < 0.21,
    "commute": random.choice(["car", "bus", "bike", "on foot"], people, p=[0.5, 0.25, 0.2, 0.05]),
    "hours": random.gamma(6, 6, people).clip(0, 80),
})

# %% What is asked, and what each answer may lose.
survey = deniable.Survey.parse("""
version = 1
title = "Health and habits"

[[question]]
name = "smokes"
text = "Do you smoke?"
kind = "yes-no"
epsilon = 1.0

[[question]]
name = "commute"
text = "How do you get to work?"
kind = "choice"
choices = ["car", "bus", "bike", "on foot"]
epsilon = 1.5

[[question]]
name = "hours"
text = "How many hours do you work a week?"
kind = "number"
low = 0
high = 80
epsilon = 1.0
""")
print(survey)

# %% Each answer is randomized: this is all that leaves a device, or that you keep.
reports = survey.randomize(answers)
print(reports.head())

# %% Each report is deniable. Together they tell what people do, and how sure that is.
found = survey.estimate(reports)
print(found)

# %% The truth, which nobody would know, beside it.
truth = answers["commute"].value_counts(normalize=True)
table = found["commute"].to_pandas().set_index("value")
table["truth"] = truth
print(table[["share", "low", "high", "truth"]].round(3))

# %% A picture, and the data frame for everything else.
figure = found.plot()
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=120)
print(found.to_pandas().columns.tolist())
