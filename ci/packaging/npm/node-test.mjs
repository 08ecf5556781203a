import assay from './node-test.js';

export const { expect } = assay;
