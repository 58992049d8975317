/* oxlint-disable oxc/approx-constant, import/namespace -- the golden values are data, and are looked up by name */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidParameter } from '../errors.js';
import * as numerics from '../index.js';
import { fixedExp } from '../../test/exact-arithmetic.js';

/** Values to 17 digits, computed with 400-digit arithmetic. The logBinomial rows are `[n, k, value]`. */
const golden = {
  erf: [
    [1e-300, 1.1283791670955126e-300],
    [1e-10, 1.1283791670955126e-10],
    [0.1, 0.1124629160182849],
    [-0.3, -0.3286267594591274],
    [0.49999, 0.5204910899433182],
    [0.5, 0.5204998778130465],
    [0.75, 0.7111556336535151],
    [1.25, 0.9229001282564583],
    [-2.5, -0.999593047982555],
    [3.9, 0.9999999652077514],
    [5.5, 0.9999999999999927],
  ],
  erfc: [
    [-6.0, 2.0],
    [-2.5, 1.999593047982555],
    [-0.4, 1.4283923550466684],
    [1e-17, 1.0],
    [0.1, 0.887537083981715],
    [0.49, 0.4883317388114769],
    [0.5, 0.4795001221869535],
    [0.63, 0.3729535566618043],
    [0.99, 0.1614919304446302],
    [1.5, 0.033894853524689274],
    [2.7, 0.0001343327399405242],
    [3.3, 3.0577097964381654e-6],
    [4.1, 6.700027654084918e-9],
    [6.5, 3.8421483271206475e-20],
    [7.99, 1.3186752894076767e-29],
    [8.01, 9.551998261605015e-30],
    [12.3, 9.029925149482068e-68],
    [20.0, 5.395865611607901e-176],
    [25.9, 1.0202833184732667e-293],
    [26.2, 1.643250792438946e-300],
    [26.5, 2.2109076642637343e-307],
  ],
  erfcx: [
    [-25.0, 5.4335189393274735e271],
    [-3.3, 107274.43593281436],
    [-0.2, 1.2726020284831958],
    [0.0, 1.0],
    [0.3, 0.7345993345676551],
    [0.5, 0.6156903441929259],
    [0.7, 0.525930337349441],
    [0.8, 0.4891005892231147],
    [0.9, 0.456531651323117],
    [1.0, 0.427583576155807],
    [1.1, 0.4017304606364951],
    [1.3, 0.3576426690860903],
    [1.6, 0.305952992270941],
    [1.8, 0.2785600956364385],
    [2.2, 0.23559296367861401],
    [2.7, 0.19687412733195578],
    [3.1, 0.17371840860540824],
    [3.6, 0.15126529983237388],
    [4.2, 0.13080849231114205],
    [4.6, 0.1199362597883856],
    [5.5, 0.10096221839949909],
    [6.6, 0.08453404793609914],
    [7.7, 0.07266847750186703],
    [8.0, 0.06998516620088092],
    [9.5, 0.05906467835256389],
    [50.0, 0.011281536265323773],
    [1000.0, 0.0005641893014533876],
  ],
  normalCdf: [
    [-37.4, 1.9536815616489922e-306],
    [-36.1, 1.1340034358936236e-285],
    [-30.0, 4.906713927148187e-198],
    [-20.5, 1.0764673258790961e-93],
    [-10.0, 7.619853024160525e-24],
    [-6.3, 1.4882282217623127e-10],
    [-3.0, 0.0013498980316300946],
    [-1.0001, 0.15863105806885877],
    [-1.0, 0.15865525393145705],
    [-0.5, 0.3085375387259869],
    [1e-9, 0.5000000003989423],
    [0.3, 0.6179114221889527],
    [0.9999, 0.8413205477862374],
    [1.0, 0.8413447460685429],
    [2.2, 0.9860965524865014],
    [5.0, 0.9999997133484281],
    [8.0, 0.9999999999999993],
  ],
  logNormalCdf: [
    [-10000000000.0, -5e19],
    [-1000000.0, -500000000014.73444],
    [-12345.678, -76207892.97984186],
    [-100.0, -5005.524208694205],
    [-38.0, -726.5572160188201],
    [-20.0, -203.91715537109727],
    [-5.5, -17.77937635262526],
    [-1.0, -1.8410216450092636],
    [-0.999, -1.839496910164778],
    [-0.3, -0.9621028181688507],
    [0.0, -0.6931471805599453],
    [0.5, -0.3689464152886564],
    [0.99, -0.1756483437044941],
    [1.0, -0.17275377902344988],
    [2.0, -0.02301290932896349],
    [5.0, -2.866516129637636e-7],
    [10.0, -7.619853024160525e-24],
    [20.0, -2.7536241186062337e-89],
  ],
  normalQuantile: [
    [1e-300, -37.0470962993612],
    [1e-100, -21.273453560965326],
    [1e-15, -7.941345326170997],
    [1e-5, -4.264890793922825],
    [0.001, -3.0902323061678136],
    [0.05, -1.6448536269514726],
    [0.0999, -1.2821215797087744],
    [0.1001, -1.2809819674733192],
    [0.25, -0.6744897501960817],
    [0.4, -0.2533471031357997],
    [0.49999999, -2.5066282733116222e-8],
    [0.5000001, 2.506628273311648e-7],
    [0.6, 0.2533471031357997],
    [0.9, 1.2815515655446006],
    [0.975, 1.9599639845400538],
    [0.999, 3.090232306167813],
    [0.9999999999990905, 7.047700256664409],
  ],
  logGamma: [
    [1e-300, 690.7755278982137],
    [1e-10, 23.025850929882736],
    [0.1, 2.252712651734206],
    [0.49, 0.592249629335267],
    [0.5, 0.5723649429247001],
    [0.9, 0.06637623973474295],
    [0.999999, 5.772164873855652e-7],
    [1.0000001, -5.772155829918507e-8],
    [1.4, -0.1196129141723713],
    [1.5, -0.12078223763524522],
    [1.9999999, -4.2278430309861296e-8],
    [2.000001, 4.2278465762452923e-7],
    [2.5, 0.2846828704729192],
    [2.6, 0.35741186354897986],
    [3.0, 0.6931471805599453],
    [5.5, 3.9578139676187165],
    [9.99, 12.779315214350193],
    [10.0, 12.801827480081469],
    [17.3, 31.51562417817529],
    [100.5, 361.4355404677776],
    [100000.0, 1051287.7089736569],
    [1e16, 3.584136148790473e17],
    [1e30, 6.807755278982137e31],
    [1e300, 6.897755278982137e302],
  ],
  log1mExp: [
    [-1e-300, -690.7755278982137],
    [-1e-10, -23.025850929990458],
    [-0.1, -2.3521684610440907],
    [-0.69, -0.6963042971440567],
    [-0.7, -0.6863410028083852],
    [-1.0, -0.4586751453870819],
    [-10.0, -4.540096037048921e-5],
    [-40.0, -4.248354255291589e-18],
    [-700.0, -9.85967654375977e-305],
  ],
  logBinomial: [
    [1, 0, 0.0],
    [5, 2, 2.302585092994046],
    [52, 5, 14.77062192297037],
    [100, 3, 11.993498045565198],
    [31, 15, 19.521092063393745],
    [32, 16, 20.214239243953692],
    [40, 20, 25.649406793250424],
    [1000, 500, 689.4672615678512],
    [1000000000, 2, 40.75338449233288],
    [1000000000, 17, 318.7904456419521],
    [1000000000000, 1000000, 14815502.231270712],
    [9007199254740991, 4503599627370495, 6243314768165340.0],
  ],
} as const;

/** Relative error allowed per function, four to ten times the unit roundoff. */
const allowed = {
  erf: 4e-16,
  erfc: 1e-15,
  erfcx: 1e-15,
  normalCdf: 1e-15,
  logNormalCdf: 1e-15,
  normalQuantile: 2e-15,
  logGamma: 2e-15,
  log1mExp: 1e-15,
} as const;
const names = Object.keys(allowed) as (keyof typeof allowed)[];

const scales = fc
  .tuple(fc.constantFrom(1, -1), fc.integer({ min: 1, max: 9999 }), fc.integer({ min: -16, max: -1 }))
  .map(([sign, m, e]) => sign * m * 10 ** e);

describe('special functions', () => {
  it.each(names)('%s agrees with golden values', (name) => {
    for (const [x, expected] of golden[name]) {
      expect(
        Math.abs(numerics[name](x) - expected),
        `${name}(${x}) = ${numerics[name](x)}, expected ${expected}`,
      ).toBeLessThanOrEqual(allowed[name] * Math.abs(expected));
    }
  });

  it('logBinomial agrees with golden values', () => {
    for (const [n, k, expected] of golden.logBinomial) {
      for (const other of [k, n - k]) {
        expect(Math.abs(numerics.logBinomial(n, other) - expected), `C(${n}, ${other})`).toBeLessThanOrEqual(
          2e-15 * expected,
        );
        const { lower, upper } = numerics.logBinomialBounds(n, other);
        expect(lower <= expected && expected <= upper).toBe(true);
      }
    }
  });

  it('bounds enclose the golden values and are narrow', () => {
    for (const [name, bounds] of [
      ['normalCdf', numerics.normalCdfBounds],
      ['logNormalCdf', numerics.logNormalCdfBounds],
      ['normalQuantile', numerics.normalQuantileBounds],
      ['logGamma', numerics.logGammaBounds],
      ['log1mExp', numerics.log1mExpBounds],
    ] as const) {
      for (const [x, expected] of golden[name]) {
        const { lower, upper } = bounds(x);
        expect(lower <= expected && expected <= upper, `${name}(${x})`).toBe(true);
        // A quantile near 0 is as uncertain as the probability 1/2 that it is checked with.
        expect(upper - lower).toBeLessThanOrEqual(
          2e-14 * Math.abs(expected) + (name === 'normalQuantile' ? 4e-14 : 0),
        );
      }
    }
  });

  it('satisfy their reflections', () => {
    fc.assert(
      fc.property(scales, (x) => {
        expect(numerics.erf(-x)).toBe(-numerics.erf(x));
        expect(Math.abs(numerics.erfc(x) + numerics.erfc(-x) - 2)).toBeLessThanOrEqual(5e-16);
        expect(Math.abs(numerics.normalCdf(x) + numerics.normalCdf(-x) - 1)).toBeLessThanOrEqual(3e-16);
        const near = numerics.erfcx(x / 10) * Math.exp((-x / 10) * (x / 10));
        if (Math.abs(x) < 50) expect(Math.abs(near / numerics.erfc(x / 10) - 1)).toBeLessThanOrEqual(2e-14);
      }),
    );
  });

  it('reach their limits', () => {
    const { erf, erfc, erfcx, normalCdf, logNormalCdf, normalQuantile, logGamma, log1mExp } = numerics;
    expect([erf(Infinity), erf(-Infinity), erf(0), erf(-0)]).toEqual([1, -1, 0, -0]);
    expect([erfc(Infinity), erfc(-Infinity), erfc(27.5), erfc(0)]).toEqual([0, 2, 0, 1]);
    expect(Math.abs(erfc(27) / 5e-324 - 105999)).toBeLessThanOrEqual(1);
    expect([erfcx(Infinity), erfcx(-30), erfcx(-Infinity), erfcx(1e300) * 1e300]).toEqual([
      0,
      Infinity,
      Infinity,
      0.5641895835477563,
    ]);
    expect([normalCdf(-Infinity), normalCdf(Infinity), normalCdf(0), normalCdf(-40)]).toEqual([0, 1, 0.5, 0]);
    expect([
      logNormalCdf(-Infinity),
      logNormalCdf(Infinity),
      logNormalCdf(-1e200),
      logNormalCdf(-1e154) / -5e307,
    ]).toEqual([-Infinity, -0, -Infinity, 1]);
    expect([normalQuantile(0), normalQuantile(1), normalQuantile(0.5)]).toEqual([-Infinity, Infinity, 0]);
    expect([logGamma(1), logGamma(2), logGamma(Infinity), logGamma(1e308)]).toEqual([
      0,
      0,
      Infinity,
      Infinity,
    ]);
    expect([log1mExp(0), log1mExp(-Infinity)]).toEqual([-Infinity, -0]);
    expect([numerics.logBinomial(7, 0), numerics.logBinomial(7, 7), numerics.logBinomial(0, 0)]).toEqual([
      0, 0, 0,
    ]);
    expect([numerics.normalCdfBounds(-Infinity), numerics.normalCdfBounds(Infinity)]).toEqual([
      { lower: 0, upper: 0 },
      { lower: 1, upper: 1 },
    ]);
    expect(numerics.normalCdfBounds(-40)).toEqual({ lower: 0, upper: 2e-323 });
    expect(numerics.logNormalCdfBounds(-1e200)).toEqual({ lower: -Infinity, upper: -Number.MAX_VALUE });
    expect([
      numerics.logNormalCdfBounds(-Infinity).upper,
      numerics.logNormalCdfBounds(Infinity).lower,
      numerics.normalQuantileBounds(0).upper,
    ]).toEqual([-Infinity, 0, -Infinity]);
  });

  it('refuse arguments outside their domain', () => {
    for (const bad of [
      () => numerics.erf(NaN),
      () => numerics.erfc(NaN),
      () => numerics.erfcx(NaN),
      () => numerics.normalCdf(NaN),
      () => numerics.logNormalCdf(NaN),
      () => numerics.normalCdfBounds(NaN),
      () => numerics.normalQuantile(-0.1),
      () => numerics.normalQuantile(1.1),
      () => numerics.normalQuantile(NaN),
      () => numerics.normalQuantileBounds(2),
      () => numerics.normalQuantileOfLog(0.1),
      () => numerics.normalQuantileOfLog(NaN),
      () => numerics.logGamma(0),
      () => numerics.logGamma(NaN),
      () => numerics.logBinomial(2, 3),
      () => numerics.logBinomial(2.5, 1),
      () => numerics.logBinomial(-1, 0),
      () => numerics.log1mExp(1),
      () => numerics.logSubExp(1, 2),
      () => numerics.logSubExp(Infinity, Infinity),
      () => numerics.logSumExp([1, NaN]),
      () => numerics.logAddExp(NaN, 0),
      () => numerics.neumaierSum([NaN]),
      () => numerics.neumaierSum([Infinity, -Infinity]),
    ])
      expect(bad).toThrow(InvalidParameter);
  });
});

describe('normal quantile', () => {
  const probability = fc.oneof(
    fc.integer({ min: 1, max: 999_999 }).map((k) => k / 1e6),
    fc
      .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: -300, max: -4 }))
      .map(([m, e]) => m * 10 ** e),
  );

  it('has verified bounds around the estimate', () => {
    fc.assert(
      fc.property(probability, (p) => {
        const { lower, upper } = numerics.normalQuantileBounds(p);
        const x = numerics.normalQuantile(p);
        expect(lower <= x && x <= upper).toBe(true);
        if (p <= 0.5) {
          expect(numerics.normalCdfBounds(lower).upper).toBeLessThanOrEqual(p);
          expect(numerics.normalCdfBounds(upper).lower).toBeGreaterThanOrEqual(p);
        } else {
          expect(numerics.normalCdfBounds(-upper).upper).toBeLessThanOrEqual(1 - p);
        }
        expect(upper - lower).toBeLessThanOrEqual(1e-13 * (1 + Math.abs(x)));
        expect(Math.abs(numerics.normalQuantileOfLog(Math.log(p)) - x)).toBeLessThanOrEqual(
          1e-9 * (1 + Math.abs(x)),
        );
      }),
    );
  });

  it('inverts log Φ where Φ underflows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -30, max: 200 }).map((e) => -(10 ** (e / 10))),
        (logProbability) => {
          const x = numerics.normalQuantileOfLog(logProbability);
          expect(Math.abs(numerics.logNormalCdf(x) / logProbability - 1)).toBeLessThanOrEqual(
            1e-14 + 1e-14 / -logProbability,
          );
        },
      ),
    );
    expect([numerics.normalQuantileOfLog(0), numerics.normalQuantileOfLog(-Infinity)]).toEqual([
      Infinity,
      -Infinity,
    ]);
  });
});

describe('logarithms of sums', () => {
  const term = fc.oneof(
    scales,
    fc.integer({ min: -8000, max: 8000 }).map((k) => k / 10),
    fc.constantFrom(-Infinity, 0),
  );

  it('logSumExp lies in its rigorous bounds, which are narrow', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 20 }), (terms) => {
        const { lower, upper } = numerics.logSumExpBounds(terms);
        const value = numerics.logSumExp(terms);
        if (lower === -Infinity) {
          expect([value, upper]).toEqual([-Infinity, -Infinity]);
          return;
        }
        const slack = 4e-16 * (2 + Math.max(...terms.map((x) => (x === -Infinity ? 0 : Math.abs(x)))));
        expect(value).toBeGreaterThanOrEqual(lower - slack);
        expect(value).toBeLessThanOrEqual(upper + slack);
        expect(upper - lower).toBeLessThanOrEqual(slack * 4);
        expect(lower).toBeGreaterThanOrEqual(Math.max(...terms) - 1e-300);
        expect(upper).toBeLessThanOrEqual(numerics.logSumExp([...terms, Math.max(...terms)]) + slack);
      }),
    );
  });

  it('have bounds that enclose them in exact arithmetic', () => {
    const some = fc.integer({ min: 1, max: 2100 }).map((k) => -k / 700);
    /** Whether `log(sum / 2^expBits)` lies in the bounds. */
    const isWithin = ({ lower, upper }: numerics.Bounds, sum: bigint): void => {
      expect(fixedExp(lower) <= sum && sum <= fixedExp(upper)).toBe(true);
    };
    fc.assert(
      fc.property(some, some, (x, y) => {
        const [one, a, b] = [fixedExp(0), fixedExp(Math.max(x, y)), fixedExp(Math.min(x, y))];
        isWithin(numerics.logSumExpBounds([0, x, y]), one + a + b);
        isWithin(numerics.log1mExpBounds(x), one - (x > y ? a : b));
        if (a !== b) isWithin(numerics.logSubExpBounds(Math.max(x, y), Math.min(x, y)), a - b);
      }),
      { numRuns: 300 },
    );
  });

  it('keep tiny additions, and know exact cases', () => {
    expect(numerics.logSumExp([0, -40])).toBe(Math.exp(-40));
    expect(numerics.logSumExp(Float64Array.of(0, -700))).toBeGreaterThan(0);
    expect(numerics.logSumExp([1000, 1000])).toBe(1000 + Math.LN2);
    expect([
      numerics.logSumExp([]),
      numerics.logSumExp([-Infinity]),
      numerics.logSumExp([1, Infinity]),
    ]).toEqual([-Infinity, -Infinity, Infinity]);
    expect([
      numerics.logAddExp(-Infinity, -Infinity),
      numerics.logAddExp(3, -Infinity),
      numerics.logAddExp(0, 0),
    ]).toEqual([-Infinity, 3, Math.LN2]);
    expect([
      numerics.logSubExp(-Infinity, -Infinity),
      numerics.logSubExp(3, -Infinity),
      numerics.logSubExp(5, 5),
      numerics.logSubExp(Infinity, 1),
    ]).toEqual([-Infinity, 3, -Infinity, Infinity]);
    expect(numerics.logSubExpBounds(5, 5)).toEqual({ lower: -Infinity, upper: -Infinity });
  });

  it('logSubExp inverts logAddExp within its bounds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -500, max: 500 }),
        fc.integer({ min: -300, max: 300 }).map((k) => k / 20),
        (a, gap) => {
          const sum = numerics.logAddExp(a, a + gap);
          const back = numerics.logSubExp(sum, a + gap);
          const { lower, upper } = numerics.logSubExpBounds(sum, a + gap);
          expect(back).toBeGreaterThanOrEqual(lower - 1e-15 * (1 + Math.abs(back)));
          expect(back).toBeLessThanOrEqual(upper + 1e-15 * (1 + Math.abs(back)));
          expect(Math.abs(back - a)).toBeLessThanOrEqual(
            1e-12 * Math.exp(Math.max(0, gap)) * (1 + Math.abs(a) / 100),
          );
        },
      ),
    );
  });
});

describe('neumaierSum', () => {
  it('keeps digits that a plain sum loses', () => {
    expect(numerics.neumaierSum([1, 1e100, 1, -1e100])).toBe(2);
    expect(numerics.neumaierSum(new Float64Array(10).fill(0.1))).toBe(1);
    expect(numerics.neumaierSum([])).toBe(0);
    expect(numerics.neumaierSum([1e308, 1e308])).toBe(Infinity);
  });

  it('sums integers of mixed size exactly', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc
            .tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: 0, max: 60 }))
            .map(([m, e]) => m * 2 ** e),
          { maxLength: 30 },
        ),
        (values) => {
          const exact = values.reduce((total, value) => total + BigInt(value), 0n);
          expect(numerics.neumaierSum(values) === Number(exact)).toBe(true);
        },
      ),
    );
  });
});
