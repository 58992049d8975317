export { defineCentralOptimizer, defineOptimizer } from './define-optimizer.js';
export { pluginMark } from './plugin-mark.js';
export { assertMayFit, type KnownProblem } from './problem-fit.js';
