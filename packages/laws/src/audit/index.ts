export { epsilonOfOneRun, type OneRun } from './one-run.js';
