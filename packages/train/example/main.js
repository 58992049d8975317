// Trains on records that are typed into the page, with the parts of Lethe that it needs and no others, so
// that its script stays small. `train` of @lethe/train does the same with every plugin at hand.
import { bestOf, calibrator, rdp } from '@lethe/accountants';
import { dpSgd } from '@lethe/algorithms';
import { attachData, centralCurator, drive, openLedger, secureRandom } from '@lethe/core';
import { designMatrix, logistic, parseCsv } from '@lethe/losses';
import { clippedMean, gaussian, l2BallDomain, l2Clip, poisson } from '@lethe/mechanisms';

const registry = [logistic, dpSgd, clippedMean, l2Clip, gaussian, poisson, l2BallDomain];
const accountant = bestOf([rdp]);
const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
const shown = document.querySelector('dl');

form.columns.value = JSON.stringify(
  {
    features: [
      { column: 'age', encoding: 'scale', lower: 18, upper: 90 },
      { column: 'city', encoding: 'one-hot', levels: ['Rome', 'Oslo'] },
    ],
    intercept: true,
    label: { column: 'late', equals: 'yes' },
  },
  null,
  2,
);
form.records.value = [
  'age,city,late',
  ...Array.from({ length: 2000 }, (_, i) => {
    const age = 18 + ((i * 7) % 73);
    return `${age},${i % 3 === 0 ? 'Rome' : 'Oslo'},${(i * 37) % 61 < age - 18 ? 'yes' : 'no'}`;
  }),
].join('\n');

form.addEventListener('submit', (event) => {
  event.preventDefault();
  status.textContent = 'Training …';
  shown.replaceChildren();
  train().catch((error) => (status.textContent = error.message));
});

async function train() {
  const spec = JSON.parse(form.columns.value);
  const { features, labels, rows, columns, facts } = designMatrix(parseCsv(form.records.value), spec);
  const budget = { epsilon: Number(form.epsilon.value), delta: 10 ** -Math.ceil(Math.log10(10 * rows)) };
  const loss = logistic({});
  const random = secureRandom();
  const run = dpSgd.prepare({
    problem: {
      adjacency: 'replace-one',
      trust: { model: 'central' },
      dimension: columns,
      slots: [rows],
      domain: l2BallDomain({ radius: 10 }),
      loss,
      capabilities: loss.capabilities,
      facts: {},
    },
    registry,
    budget,
    params: { steps: 100, rate: 0.1, clipNorm: facts.rowNorm / 2, stepSize: 1, average: 'polyak' },
    calibrate: calibrator([rdp]),
    random,
  });
  const ledger = openLedger({ adjacency: 'replace-one', limit: { ...budget, accountant } });
  const data = attachData({ features, labels, loss, registry, ledger });
  const curator = centralCurator({ data, registry, run: 'in the browser', planned: run.plan.event });
  const { output } = await drive(run, curator, { start: new Float64Array(columns), random });
  const { upper } = accountant.epsilon(ledger.total(), { adjacency: 'replace-one', delta: budget.delta });
  show('Certificate', `ε at most ${upper.toPrecision(4)} at δ = ${budget.delta}, under replace-one`);
  show('Weights', Array.from(output, (weight) => weight.toPrecision(3)).join(', '));
  const first = [0, 1, 2].map((row) =>
    sigmoid(output.reduce((sum, weight, i) => sum + weight * features.get(row, i), 0)),
  );
  show('Predictions for the first records', first.map((one) => one.toPrecision(3)).join(', '));
  status.textContent =
    'Done. Certificate and weights may be published; predictions for records tell of these records.';
}

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

function show(name, text) {
  const [term, description] = ['dt', 'dd'].map((tag) => document.createElement(tag));
  [term.textContent, description.textContent] = [name, text];
  shown.append(term, description);
}
