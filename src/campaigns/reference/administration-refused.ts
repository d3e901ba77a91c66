/** A request of an operator that cannot be fulfilled. The message states the reason in one line. */
export class AdministrationRefused extends Error {}
