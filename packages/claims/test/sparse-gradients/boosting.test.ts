import ledger from '@lethe/algorithms/sparse-gradients/claims.json' with { type: 'json' };
import { boostingChecks } from '../../src/sparse-gradients/boosting.js';
import {
  sparseGradientsSubject as shipped,
  type SparseGradientsSubject,
} from '../../src/sparse-gradients/subject.js';
import { testRows, type Mutant } from '../rows.js';

const mutant = (
  row: number,
  title: string,
  killedBy: string,
  subject: Partial<SparseGradientsSubject>,
): Mutant<SparseGradientsSubject> => ({ id: `ghazi-${row}`, title, row, subject, killedBy });
type Split = ReturnType<typeof shipped.boostingBudget>;
const splitting = (change: (split: Split, delta: number) => Partial<Split>) => ({
  boostingBudget: (given: Parameters<typeof shipped.boostingBudget>[0]): Split => {
    const split = shipped.boostingBudget(given);
    return { ...split, ...change(split, given.delta) };
  },
});
const unsquared = splitting(({ base, cap }, delta) => ({ base: { ...base, delta: delta / (4 * cap) } }));
const { centralCurator } = shipped;
interface Bounded {
  readonly base: { readonly plan: { readonly median: { readonly bound: number } } };
  readonly likely: { readonly bound: number };
}

const shippedBy = { subject: shipped, ledger };
const checksOf = (replaced: Partial<SparseGradientsSubject>) => boostingChecks({ ...shipped, ...replaced });
const spared = (id: string): boolean => id.endsWith('-printed');
const [first, second] = [
  [
    mutant(62, 'δ₁ is δ/(4K)', 'ghazi/boosting-budget', unsquared),
    mutant(
      63,
      'the cap is lower by an eighth',
      'ghazi/run-count',
      splitting(({ cap }) => ({ cap: Math.floor((7 * cap) / 8) })),
    ),
    mutant(64, 'the series is as printed', 'ghazi/halves-series', {
      boostingFailure: ({ stopProbability: stop }) => (0.5 * stop) / (1 - stop ** 2),
    }),
    mutant(65, 'replacing is removing', 'ghazi/gradient-norm-score', {
      boundedMeanSensitivity: (radius, slots) => ({ 'replace-one': radius / slots }),
    }),
    mutant(66, 'values are twice as large', 'ghazi/risk-score', {
      centralCurator(options) {
        const inner = centralCurator(options);
        return {
          ...inner,
          answer(index, query) {
            const said = inner.answer(index, query);
            return typeof said.answer === 'number' ? { ...said, answer: 2 * said.answer } : said;
          },
        };
      },
    }),
    mutant(67, 'the first run is told', 'ghazi/least-score', {
      centralCurator(options) {
        const inner = centralCurator(options);
        return {
          ...inner,
          answer: (index, query) =>
            inner.answer(index, query.ask === 'select' ? { ...query, cap: 1 } : query),
        };
      },
    }),
  ],
  [
    mutant(
      111,
      'every run may fail with probability δ',
      'ghazi/boosting-privacy',
      splitting(({ base }, delta) => ({ base: { ...base, delta } })),
    ),
    mutant(112, 'all runs up to the cap count, twice', 'ghazi/boosting-failure', {
      boostingFailure: (stopping, margin) =>
        shipped.boostingFailure(stopping, Infinity) + 2 * stopping.cap * Math.exp(-margin),
    }),
    mutant(113, 'the bound has no root', 'ghazi/boosted-gradient', {
      boosted: {
        ...shipped.boosted,
        prepare(context) {
          const run = shipped.boosted.prepare(context);
          const { base, likely: shown } = run.plan as unknown as Bounded;
          const { bound } = base.plan.median;
          const likely = { ...shown, bound: shown.bound - Math.sqrt(bound) + bound };
          return { ...run, plan: { ...run.plan, likely } };
        },
      },
    }),
  ],
];
const of = (rows: readonly [number, number], mutants: readonly Mutant<SparseGradientsSubject>[]): void => {
  const isOf = ({ id }: { readonly id: string }): boolean =>
    ledger.claims.some(
      ({ id: row, check, counterexample }: { id: string; check?: string; counterexample?: string }) =>
        [check, counterexample].includes(id) &&
        Number(row.split(':')[1]) >= rows[0] &&
        Number(row.split(':')[1]) <= rows[1],
    );
  testRows<SparseGradientsSubject>({
    paper: 'ghazi',
    rows,
    checksOf: (replaced) => checksOf(replaced).filter(isOf),
    shippedBy,
    spared,
    mutants,
  });
};
of([62, 67], first);
of([111, 113], second);
