import assay from './index.js';

export const { AssayError, certify, certifyEvents, matchers } = assay;
