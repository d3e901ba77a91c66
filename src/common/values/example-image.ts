/** A white PNG of 4 by 4 pixels, in base64, which examples upload. */
export const EXAMPLE_IMAGE =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAAD0lEQVR42mP4jwQYiOMAANuQL9HXPgz1AAAAAElFTkSuQmCC';
