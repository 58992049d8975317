import { accountantQueries } from './accountants.mjs';
import { borders } from './border.mjs';
import { coordinatePasses } from './coordinates.mjs';
import { discreteNoise } from './discrete-noise.mjs';
import { epochs } from './epoch.mjs';
import { exactEpochs } from './exact-epoch.mjs';
import { federated } from './federated.mjs';
import { files } from './files.mjs';
import { fits } from './fit.mjs';
import { journals } from './journal.mjs';
import { kernels } from './kernels.mjs';
import { ledgers } from './ledger.mjs';
import { limitChecks } from './limits.mjs';
import { noise } from './noise.mjs';
import { onePasses } from './one-pass.mjs';
import { plannedRuns } from './planned.mjs';
import { planning } from './planning.mjs';
import { prefixSumSteps } from './prefix-sums.mjs';
import { sparseRows } from './sparse.mjs';
import { threads } from './threads.mjs';

/**
 * Ordered so that neighbouring cases share their records.
 * @type {readonly import('../case.mjs').Case[]}
 */
export const cases = [
  ...noise,
  ...discreteNoise,
  ...borders,
  ...journals,
  ...ledgers,
  ...epochs,
  ...exactEpochs,
  ...fits,
  ...kernels,
  ...threads,
  ...onePasses,
  ...coordinatePasses,
  ...sparseRows,
  ...files,
  ...federated,
  ...prefixSumSteps,
  ...accountantQueries,
  ...plannedRuns,
  ...limitChecks,
  ...planning,
];
