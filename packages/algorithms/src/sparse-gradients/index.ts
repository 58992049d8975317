export { sparseGradientsOptimizers } from './optimizers.js';
export { sparseGradients } from './paper.js';
