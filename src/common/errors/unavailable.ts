/** What a request needs cannot be had at the moment: 503 with `retry-after`, in the form of the endpoint's family. */
export class Unavailable extends Error {}

/** The database has not answered, or cannot be asked at the moment. */
export class NoAnswer extends Unavailable {}
