import { seededRandom } from '@lethe/core';
import type { Row, TrainingSchema } from '@lethe/train';

/** Columns of {@link customers}. */
export const columns: TrainingSchema['columns'] = {
  age: { type: 'number', lower: 18, upper: 90 },
  city: { type: 'category', levels: ['Rome', 'Paris', 'Oslo'] },
  joined: { type: 'time', parts: ['hour'] },
};

/** A label of each type. */
export const labels = {
  binary: { type: 'classes', column: 'late', classes: ['no', 'yes'] },
  equals: { type: 'equals', column: 'plan', value: 'gold' },
  above: { type: 'above', column: 'spend', threshold: 200 },
  classes: { type: 'classes', column: 'plan', classes: ['basic', 'plus', 'gold'] },
  number: { type: 'number', column: 'spend', lower: 0, upper: 500 },
  count: { type: 'count', column: 'visits', upper: 30 },
} as const satisfies Readonly<Record<string, TrainingSchema['label']>>;

/** Records with labels that depend on age, city and hour; one age in a hundred is missing. */
export function customers(rows: number, seed = 'customers'): Row[] {
  const random = seededRandom(seed);
  const normal = (): number => random.gaussianInto(new Float64Array(1))[0];
  return Array.from({ length: rows }, () => {
    const age = Math.round(Math.min(90, Math.max(18, 45 + 15 * normal())));
    const city = ['Rome', 'Paris', 'Oslo'][random.integer(3)];
    const hour = random.integer(24);
    const score =
      (1.5 * (54 - age)) / 36 +
      (city === 'Paris' ? 1 : 0) -
      (city === 'Oslo' ? 1 : 0) +
      0.8 * Math.cos((Math.PI * hour) / 12);
    const gumbel = (value: number): number => value - Math.log(random.exponential());
    const utilities = [gumbel(0.2), gumbel(score), gumbel(-score)];
    return {
      age: random.integer(100) === 0 ? null : age,
      city,
      joined: `2021-03-01T${String(hour).padStart(2, '0')}:00`,
      late: random.uniform() < 1 / (1 + Math.exp(-2 * score)) ? 'yes' : 'no',
      plan: ['basic', 'plus', 'gold'][utilities.indexOf(Math.max(...utilities))],
      spend: Math.min(500, Math.max(0, 200 + 80 * score + 40 * normal())),
      visits: poisson(Math.exp(0.8 + 0.6 * score), () => random.exponential()),
    };
  });
}

/** Arrivals before 1, at the given rate. */
function poisson(rate: number, exponential: () => number): number {
  let count = -1;
  for (let time = 0; time < rate; count++) time += exponential();
  return count;
}
