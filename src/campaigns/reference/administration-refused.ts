/** What an operator asked for cannot be done; the message says why, in a line. */
export class AdministrationRefused extends Error {}
