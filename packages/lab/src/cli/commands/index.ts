import type { Command } from '../command.js';
import { account } from './account.js';
import { audit } from './audit.js';
import { calibrate } from './calibrate.js';
import { check } from './check.js';
import { claims } from './claims.js';
import { completion } from './completion.js';
import { evaluate } from './evaluate.js';
import { inspect } from './inspect.js';
import { federate } from './federate.js';
import { laws } from './laws.js';
import { ledger } from './ledger.js';
import { newPlugin } from './new.js';
import { plan } from './plan.js';
import { plugins } from './plugins.js';
import { predict } from './predict.js';
import { run } from './run.js';
import { silo } from './silo.js';
import { train } from './train.js';
import { worker } from './worker.js';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  train,
  predict,
  evaluate,
  inspect,
  run,
  worker,
  check,
  plan,
  federate,
  silo,
  audit,
  ledger,
  account,
  calibrate,
  laws,
  claims,
  newPlugin,
  plugins,
  completion,
];
