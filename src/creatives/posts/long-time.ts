const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Converts a stored UTC time to the format of post and user objects: `Tue Aug 27 22:22:12 +0000 2019`. */
export function longTime(stored: string): string {
  const [year, month, day] = [stored.slice(0, 4), stored.slice(5, 7), stored.slice(8, 10)];
  const weekday = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDay();
  return `${DAYS[weekday]} ${MONTHS[Number(month) - 1]} ${day} ${stored.slice(11, 19)} +0000 ${year}`;
}
