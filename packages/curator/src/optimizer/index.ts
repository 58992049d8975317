export { defineOptimizer } from './define-optimizer.js';
