"""Frequency estimates of two Python libraries. Reads lines "library oracle epsilon k repeats answer answer …" and answers with the mean
squared error of a share, times the number of answers, or "none"."""
import sys

import numpy as np


def pure_ldp(oracle, epsilon, k, answers):
    if oracle == "OUE":
        from pure_ldp.frequency_oracles.unary_encoding import UEClient as Client, UEServer as Server
        options = {"use_oue": True}
    elif oracle == "OLH":
        from pure_ldp.frequency_oracles.local_hashing import LHClient as Client, LHServer as Server
        options = {"use_olh": True}
    elif oracle == "GRR":
        from pure_ldp.frequency_oracles.direct_encoding import DEClient as Client, DEServer as Server
        options = {}
    client, server = Client(epsilon=epsilon, d=k, **options), Server(epsilon=epsilon, d=k, **options)
    for answer in answers:
        server.aggregate(client.privatise(int(answer) + 1))
    counts = [server.estimate(value + 1, suppress_warnings=True) for value in range(k)]
    return np.array(counts) / len(answers)


def multi_freq_ldpy(oracle, epsilon, k, answers):
    from multi_freq_ldpy.pure_frequency_oracles import GRR, LH, SS, UE
    if oracle == "OUE":
        return UE.UE_Aggregator_MI([UE.UE_Client(int(x), k, epsilon) for x in answers], epsilon)
    module, name = {"OLH": (LH, "LH"), "SS": (SS, "SS"), "GRR": (GRR, "GRR")}[oracle]
    client, aggregate = getattr(module, name + "_Client"), getattr(module, name + "_Aggregator_MI")
    return aggregate([client(int(x), k, epsilon) for x in answers], k, epsilon)


print("ready", flush=True)
for line in sys.stdin:
    library, oracle, epsilon, k, repeats, *answers = line.split()
    try:
        epsilon, k, answers = float(epsilon), int(k), np.array(answers, dtype=int)
        truth = np.bincount(answers, minlength=k) / len(answers)
        run = {"pure-ldp": pure_ldp, "multi-freq-ldpy": multi_freq_ldpy}[library]
        errors = [np.mean((run(oracle, epsilon, k, answers) - truth) ** 2) for _ in range(int(repeats))]
        print(np.mean(errors) * len(answers), flush=True)
    except Exception:
        print("none", flush=True)
