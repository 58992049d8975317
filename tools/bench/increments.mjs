/**
 * How long the increments of corrected momentum are, against the radius that noise is made for: medians,
 * 90 %, 99 % and largest of ‖s_t‖/(G + 2LD), of ‖s_t − c_t‖/(G + LD), and of the distance of two increments
 * of one round over 2(G + LD), which is what a replaced record really moves. Over 256 records at the points
 * of a private run of 256 rounds.
 *
 *     node tools/bench/increments.mjs
 */
import { accountants, calibrator } from '@lethe/accountants';
import { dpMu2Sgd, incrementRadius } from '@lethe/algorithms';
import { driveSync, seededRandom } from '@lethe/core';
import { attachData, centralCurator, openLedger } from '@lethe/curator';
import { logistic, losses, squaredDistance, syntheticData } from '@lethe/losses';
import { l2BallDomain, mechanisms } from '@lethe/mechanisms';

const registry = [...mechanisms, ...losses];
const adjacency = 'replace-one';
const problems = [
  {
    name: 'means',
    loss: squaredDistance,
    columns: 5,
    radius: 1,
    /** @param {Row} at @param {Row} x @returns {Row} */
    gradient: (at, x) => at.map((one, j) => one - x[j]),
  },
  {
    name: 'logistic',
    loss: logistic,
    columns: 10,
    radius: 2,
    /** @param {Row} at @param {Row} x @param {number} y @returns {Row} */
    gradient: (at, x, y) => x.map((one) => (-y * one) / (1 + Math.exp(y * dot(at, x)))),
  },
];
/** @typedef {readonly number[]} Row */
/** @param {Row} x @param {Row} y */
function dot(x, y) {
  return x.reduce((sum, one, j) => sum + one * y[j], 0);
}
/** @param {Row} x */
const norm = (x) => Math.sqrt(dot(x, x));
/** @param {Row} x @param {Row} y @returns {Row} */
const minus = (x, y) => x.map((one, j) => one - y[j]);
/** @param {readonly number[]} values */
const quantiles = (values) => {
  const sorted = [...values].toSorted((a, b) => a - b);
  return [0.5, 0.9, 0.99, 1].map((p) => sorted[Math.ceil(p * sorted.length) - 1].toFixed(3));
};
for (const { name, loss, columns, radius, gradient } of problems) {
  const random = seededRandom(`increments/${name}`);
  const { features, labels, rows } = syntheticData(
    {
      rows: 4096,
      columns,
      features: { law: 'gaussian', scale: 0.3 },
      weightNorm: 4,
      response: { kind: 'logistic' },
    },
    random.fork('records'),
  );
  const data = attachData({
    features,
    labels,
    loss: loss({}),
    registry,
    domain: { featureNorm: 1, iterateNorm: radius },
    outside: 'clip',
    ledger: openLedger({ adjacency }),
  });
  const run = dpMu2Sgd.prepare({
    registry,
    random,
    budget: { epsilon: 1, delta: 1e-6 },
    params: { rounds: 256 },
    calibrate: calibrator(accountants),
    problem: {
      adjacency,
      trust: { model: 'central' },
      dimension: columns,
      slots: [rows],
      domain: l2BallDomain({ radius }),
      loss: loss({}),
      capabilities: loss.capabilities,
      facts: data.facts,
    },
  });
  /** Terms and centre of each push. @type {{ terms: { weight: number, at: number[] }[], centre: Row }[]} */
  const rounds = [];
  const curator = centralCurator({
    data,
    registry,
    run: name,
    planned: run.plan.event,
    random: random.fork('noise'),
  });
  driveSync(
    run,
    {
      ...curator,
      answer(index, query) {
        if (query.ask === 'push')
          rounds.push({
            terms: query.of.terms.map(({ weight, at }) => ({ weight, at: [...at] })),
            centre: [...(query.centre ?? new Float64Array(columns))],
          });
        return curator.answer(index, query);
      },
    },
    { start: new Float64Array(columns), random },
  );
  const constants = {
    lipschitz: data.facts['lipschitz'].value,
    smoothness: data.facts['smoothness'].value,
    diameter: 2 * radius,
  };
  const records = Array.from({ length: 256 }, (_, i) => {
    const row = [...features.data.subarray(16 * i * columns, (16 * i + 1) * columns)];
    const shrink = Math.min(1, 1 / norm(row));
    return { x: row.map((one) => one * shrink), y: labels[16 * i] };
  });
  /** @type {{ of: string, values: number[] }[]} */
  const [whole, centred, moved] = ['‖s‖/(G + 2LD)', '‖s − c‖/(G + LD)', '‖s − s′‖/(2(G + LD))'].map((of) => ({
    of,
    values: [],
  }));
  const [printed, tight] = [incrementRadius(constants, 'lemma-4'), incrementRadius(constants, 'centred')];
  for (const { terms, centre } of rounds) {
    const increments = records.map(({ x, y }) =>
      terms.reduce(
        (/** @type {Row} */ sum, { weight, at }) => gradient(at, x, y).map((one, j) => sum[j] + weight * one),
        x.map(() => 0),
      ),
    );
    increments.forEach((s, i) => {
      whole.values.push(norm(s) / printed);
      centred.values.push(norm(minus(s, centre)) / tight);
      moved.values.push(norm(minus(s, increments[(i + 1) % increments.length])) / (2 * tight));
    });
  }
  for (const { of, values } of [whole, centred, moved]) console.log(name, of, ...quantiles(values));
}
