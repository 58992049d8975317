import type { ReferenceExperimentId, ReferenceMethod } from './reference-experiments.js';

/** Steps, bound and worst risk of one method, to the given digits. */
export type ReferenceValue = readonly [
  method: ReferenceMethod['method'],
  innerSteps: number,
  bound: string,
  worstRisk: string,
];

/** Known results of `referenceExperiments`, computed independently of this library. */
export const referenceValues: readonly {
  readonly id: ReferenceExperimentId;
  readonly dimension: number;
  readonly methods: readonly ReferenceValue[];
}[] = [
  {
    id: 'X-IMP',
    dimension: 4,
    methods: [
      ['uniform', 2000, '10.4', '1.0612'],
      ['importance', 1004, '5.2206', '0.5038'],
    ],
  },
  {
    id: 'X-IMP',
    dimension: 16,
    methods: [
      ['uniform', 4000, '83.2', '8.240'],
      ['importance', 1005, '20.903', '1.3907'],
    ],
  },
  {
    id: 'X-IMP',
    dimension: 64,
    methods: [
      ['uniform', 8000, '665.6', '66.03'],
      ['importance', 1005, '83.615', '1.8263'],
    ],
  },
  {
    id: 'X-IMP',
    dimension: 256,
    methods: [
      ['uniform', 16_000, '5324.8', '551.7'],
      ['importance', 1005, '334.46', '5.2318'],
    ],
  },
  {
    id: 'X-FULL',
    dimension: 4,
    methods: [
      ['gradient-descent', 20_000, '0.26', '0.01724'],
      ['full', 100, '0.1309', '0.01236'],
    ],
  },
  {
    id: 'X-FULL',
    dimension: 16,
    methods: [
      ['gradient-descent', 40_000, '0.52', '0.03573'],
      ['full', 100, '0.1311', '0.01238'],
    ],
  },
  {
    id: 'X-FULL',
    dimension: 64,
    methods: [
      ['gradient-descent', 80_000, '1.04', '0.07214'],
      ['full', 100, '0.1312', '0.01239'],
    ],
  },
  {
    id: 'X-FULL',
    dimension: 256,
    methods: [
      ['gradient-descent', 160_000, '2.08', '0.18058'],
      ['full', 100, '0.1312', '0.01239'],
    ],
  },
  {
    id: 'X-IMP-REV',
    dimension: 4,
    methods: [
      ['uniform', 100, '0.5200', '0.05333'],
      ['importance', 1733, '9.011', '0.5969'],
    ],
  },
  {
    id: 'X-IMP-REV',
    dimension: 16,
    methods: [
      ['uniform', 100, '2.0800', '0.2368'],
      ['importance', 3873, '80.56', '6.464'],
    ],
  },
  {
    id: 'X-IMP-REV',
    dimension: 64,
    methods: [
      ['uniform', 100, '8.3201', '1.1736'],
      ['importance', 7937, '660.4', '54.39'],
    ],
  },
  {
    id: 'X-BLOCK',
    dimension: 64,
    methods: [
      ['uniform', 493, '0.10561', '0.010463'],
      ['importance', 24_637, '5.2782', '0.44055'],
      ['gradient-descent', 12_500, '10.4000', '0.81273'],
      ['full', 1, '6.7602', '2.8801'],
    ],
  },
];
