/** Where the demo's keys and secrets stand, in the data directory. */
export const CREDENTIALS_FILE = 'demo-credentials.json';
