/** Path of the profile image of users without one. */
export const PROFILE_IMAGE_PATH = '/profile_images/default_profile_normal.png';

/** The default profile image, 48 by 48 pixels: a generic head and shoulders. */
export const PROFILE_IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAQMAAABtzGvEAAAABlBMVEXM1t1mdX/PbtoxAAAAWUlEQVR42mNgoBJgfwCm5H+AKfs/YKr+H5j6/x8nxfj/fwMBJTBToGZCbYDaRwSAaoCYArWP+f//AyBD/v9/gKD4////AFL///8PBGX///8fDKr+//9/2CkAZ1RKOMD72e4AAAAASUVORK5CYII=',
  'base64',
);
