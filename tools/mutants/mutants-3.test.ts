import { describeMutants } from './shard.js';

describeMutants(2, 4);
