// The page shows before the training is there, which is loaded meanwhile.
const training = import('./training.js');
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
  run().catch((error) => (status.textContent = error.message));
});

async function run() {
  const { train } = await training;
  const spec = JSON.parse(form.columns.value);
  const { upper, delta, weights, predictions } = await train(
    spec,
    form.records.value,
    Number(form.epsilon.value),
  );
  const shorter = (numbers) => numbers.map((one) => one.toPrecision(3)).join(', ');
  show('Certificate', `ε at most ${upper.toPrecision(4)} at δ = ${delta}, under replace-one`);
  show('Weights', shorter(weights));
  show('Predictions for the first records', shorter(predictions));
  status.textContent =
    'Done. Certificate and weights may be published; predictions for records tell of these records.';
}

function show(name, text) {
  const [term, description] = ['dt', 'dd'].map((tag) => document.createElement(tag));
  [term.textContent, description.textContent] = [name, text];
  shown.append(term, description);
}
