export { worstPureTail } from './pure-tail.js';
export { worstRenyiTail } from './renyi-tail.js';
export { failureOfAny, meanRepetitions, type Repetitions } from './repetitions.js';
