export { sparseGradientsBound } from './bound.js';
export { sparseGradientsOptimizers } from './optimizers.js';
export { sparseGradients } from './paper.js';
