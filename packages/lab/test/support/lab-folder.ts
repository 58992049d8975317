import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { main } from '../../src/cli/main.js';

/** What a command left behind. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** Runs the command line in this process, with its streams caught. */
export async function lethe(...args: readonly string[]): Promise<Outcome> {
  let out = '';
  let error = '';
  const code = await main(args, {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
  });
  return { code, out, error };
}

/** A folder of experiments and results that is gone after the test. */
export interface LabFolder {
  readonly path: string;
  file(name: string): string;
  write(name: string, content: string | Uint8Array | object): string;
  read(name: string): string;
  has(name: string): boolean;
  /** Every file below the folder, by path within it. */
  all(): string[];
  remove(): void;
}

export function labFolder(): LabFolder {
  const path = mkdtempSync(join(tmpdir(), 'lethe-lab-'));
  const file = (name: string): string => join(path, name);
  return {
    path,
    file,
    write(name, content) {
      mkdirSync(dirname(file(name)), { recursive: true });
      writeFileSync(
        file(name),
        typeof content === 'string' || content instanceof Uint8Array ? content : JSON.stringify(content),
      );
      return file(name);
    },
    read: (name) => readFileSync(file(name), 'utf8'),
    has: (name) => existsSync(file(name)),
    all: () =>
      readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => statSync(file(name)).isFile())
        .toSorted(),
    remove() {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

const problem = {
  name: 'line',
  title: 'A line through a few points',
  data: { generate: { rows: 120, columns: 3, features: { law: 'gaussian', scale: 1 } } },
  loss: { name: 'squared' },
  domain: { name: 'l2-ball', params: { radius: 1 } },
  record: { featureNorm: 2 },
  facts: { 'gradientMoment.2': { value: 9, why: 'declared for the test' } },
};

/** All records in every step: the noise is calibrated in closed form, in no time. */
const params = { steps: 5, rate: 1, clipNorm: 1, stepSize: 0.2 };
/** DP-SGD on samples of the records, whose noise takes a second to calibrate. */
export const sampledBatches = { name: 'dp-sgd', params: { ...params, rate: 0.2 } };

/** A small evaluation on generated records. */
export const evaluation = {
  lethe: 1,
  kind: 'evaluation',
  name: 'tiny',
  title: 'A tiny evaluation',
  problems: [problem],
  optimizers: [{ name: 'dp-sgd', params }, { name: 'noisy-clipped-ac-sa' }],
  budgets: [{ epsilon: 1, delta: 1e-5 }],
  sizes: [60, 120],
  seeds: { count: 2 },
};

/** A small release on generated records; its ledger lies beside the experiment. */
export const release = {
  lethe: 1,
  kind: 'release',
  name: 'one',
  title: 'One tiny release',
  adjacency: 'zero-out',
  problem: { ...problem, facts: {} },
  optimizer: { name: 'dp-sgd', params },
  budget: { epsilon: 1, delta: 1e-5 },
  ledger: 'data.ledger',
};
