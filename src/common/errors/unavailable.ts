/** What a request needs cannot be had at the moment: 503 with `retry-after`, in the form of the endpoint's family. */
export class Unavailable extends Error {}
