export { plainLoops, type Loops, type State } from './loops.js';
