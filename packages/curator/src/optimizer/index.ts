export { defineOptimizer } from './define-optimizer.js';
export { pluginMark } from './plugin-mark.js';
