"""An epoch of DP-SGD by Opacus for each line of standard input; answers with its seconds.

Logistic regression without intercept on the records of data.py, in 64 bits: 391 Poisson batches of 256 of 100 000 on
average, clip norm 1, noise multiplier 1, one thread. Noise is of torch's generator, which is not cryptographic
(`secure_mode` off, as by default).
"""
import sys
import time
import warnings

import torch

from data import Records

n, d, batch = 100_000, 100, 256

warnings.filterwarnings('ignore')
from opacus import PrivacyEngine, __version__  # noqa: E402 -- it warns when it is imported

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
records = Records(n, d)
labels = torch.tensor(0.5 - records.half_minus_y)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.tensor(records.X), labels), batch_size=batch)
model = torch.nn.Linear(d, 1, bias=False)
model, optimizer, loader = PrivacyEngine().make_private(
    module=model, optimizer=torch.optim.SGD(model.parameters(), lr=0.5), data_loader=loader,
    noise_multiplier=1.0, max_grad_norm=1.0)
loss = torch.nn.BCEWithLogitsLoss()

print(f'Opacus {__version__}, torch {torch.__version__}', flush=True)
for _ in sys.stdin:
    start = time.perf_counter()
    for x, y in loader:
        optimizer.zero_grad()
        loss(model(x).squeeze(1), y).backward()
        optimizer.step()
    print(time.perf_counter() - start, flush=True)
