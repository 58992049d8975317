import { defineClaimCheck, gaussLegendre, type ClaimCheck } from '@lethe/laws';
import { squared as leastSquares } from '@lethe/losses';
import { both, differs, exceeds, firstOf, tried } from '../../common/compare.js';
import type { OracleSubject } from './subject.js';

/** `sup_{|w| ≤ 1} |∇f|` of `½(w x − y)²`: at an end, since the gradient is affine in `w`. */
function largest({ squared }: OracleSubject, x: number, y: number): number {
  const out = new Float64Array(1);
  return Math.max(
    ...[-1, 1].map((w) => {
      squared.gradientInto({}, out.fill(0), Float64Array.of(w), { features: Float64Array.of(x), label: y });
      return Math.abs(out[0]);
    }),
  );
}

const rule = gaussLegendre(9);
/**
 * `∫ f(x) φ(x) dx` over the line, in panels of length 1 from −14 to 14:
 * they end where these integrands have their kinks, at whole numbers.
 */
function overNormal(f: (x: number) => number): number {
  let sum = 0;
  for (let panel = -14; panel < 14; panel++)
    for (let k = 0; k < rule.nodes.length; k++) {
      const x = panel + (1 + rule.nodes[k]) / 2;
      sum += (((rule.weights[k] / 2) * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI)) * f(x);
    }
  return sum;
}

/** `r̃_k` by quadrature: features and labels normal with variance 1, independent or one number. */
const byQuadrature = (subject: OracleSubject, order: number, equal: boolean, mean = 0): number =>
  (equal
    ? overNormal((x) => largest(subject, x + mean, x + mean) ** order)
    : overNormal((x) => overNormal((y) => largest(subject, x + mean, y + mean) ** order))) **
  (1 / order);

const table = [
  { order: 2, independent: 2.5586, equal: 3.4641, printed: 5 },
  { order: 4, independent: 4.3768, equal: 6.4022, printed: 8 },
  { order: 8, independent: 7.9627, equal: 12.2853, printed: 14 },
];

/** Row C27. */
export const firstExample = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/first-example',
    tier: 'exact',
    statement:
      'for least squares on the interval from −1 to 1 with normal features and labels of mean 0 and ' +
      'variance 1, the moments of orders 2, 4 and 8 are 2.5586, 4.3768 and 7.9627 if they are ' +
      'independent and 3.4641, 6.4022 and 12.2853 if they are equal, the maximum over joint ' +
      'distributions; the Lipschitz constant over the interval from −a to a is 2a²',
    power:
      'an absolute error of 1e-4 of the six moments, 1e-9 of closed forms against quadrature of the ' +
      'gradients of the shipped loss, 1e-8 of the shipped calculator of moments',
    run: () =>
      both(
        () =>
          tried(table, ({ order, independent, equal, printed }) =>
            firstOf([
              ...[
                { name: 'independent', want: independent, dependent: false },
                { name: 'equal', want: equal, dependent: true },
              ].flatMap(({ name, want, dependent }) => {
                const got = subject.exampleMoment({ order, equal: dependent });
                return [
                  differs({
                    what: `the moment of order ${order} of ${name} numbers`,
                    got,
                    want: byQuadrature(subject, order, dependent),
                    tolerance: 1e-9,
                  }),
                  Math.abs(got - want) <= 1e-4
                    ? undefined
                    : {
                        what: `the moment of order ${order} of ${name} numbers is ${got}, not ${want}`,
                        measured: got,
                        allowed: want,
                      },
                ];
              }),
              differs({
                what: `the moment of order ${order} that the calculator gives`,
                got: subject.gradientMomentOf(
                  { plugin: leastSquares, params: {} },
                  { features: { law: 'gaussian', scale: 1 }, residual: { law: 'gaussian', scale: 1 } },
                  { order, distance: 1 },
                ).uniform,
                want: subject.exampleMoment({ order, equal: false }),
                tolerance: 1e-8,
              }),
              exceeds({
                what: `the most that the moment of order ${order} can be`,
                got: subject.exampleMoment({ order, equal: true }),
                most: printed,
              }),
              exceeds({
                what: 'the moment of independent numbers',
                got: subject.exampleMoment({ order, equal: false }),
                most: subject.exampleMoment({ order, equal: true }),
              }),
            ]),
          ),
        () =>
          tried([1, 7, 1e10], (a) =>
            differs({
              what: `the Lipschitz constant over numbers up to ${a}`,
              got: Math.max(...[-a, 0, a].flatMap((x) => [-a, 0, a].map((y) => largest(subject, x, y)))),
              want: subject.exampleLipschitz(a),
            }),
          ),
      ),
  });

/** Row C27, as printed. */
export const firstExamplePrinted = (subject: OracleSubject): ClaimCheck =>
  defineClaimCheck({
    id: 'lowy/first-example-printed',
    tier: 'exact',
    statement:
      'as printed: for all means of the truncated normal distributions, the moment of order 2 is at most ' +
      '5 and the Lipschitz constant at least the squared diameter of the features',
    run: () =>
      both(
        () =>
          tried([0, 2], (mean) =>
            exceeds({
              what: `the moment of order 2 at mean ${mean}`,
              got: byQuadrature(subject, 2, false, mean),
              most: 5,
            }),
          ),
        () =>
          tried([1e10], (a) =>
            exceeds({ what: 'the squared diameter', got: (2 * a) ** 2, most: subject.exampleLipschitz(a) }),
          ),
      ),
  });
