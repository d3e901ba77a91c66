/**
 * Takes jobs of a queue so that the owners named in a value of the payload take turns: pg-boss knows priorities only, which
 * are fixed when a job is stored. First come those whose owner has the fewest jobs that run or are before it, then those
 * whose owner has waited longest. `started_on` of the last minutes tells that, and every process sees it.
 */
export const FETCHED_BY_TURNS = `
  WITH waiting AS (
    SELECT id, coalesce(data->>$3, '') AS owner, created_on,
      row_number() OVER (PARTITION BY data->>$3 ORDER BY priority DESC, created_on, id) AS place
    FROM pgboss.job WHERE name = $1 AND state < 'active' AND start_after < now()
  ), served AS (
    SELECT coalesce(data->>$3, '') AS owner, count(*) FILTER (WHERE state = 'active') AS running, max(started_on) AS at
    FROM pgboss.job WHERE name = $1 AND started_on > now() - interval '10 minutes' GROUP BY 1
  ), ordered AS (
    SELECT w.id, row_number() OVER (ORDER BY w.place + coalesce(s.running, 0), s.at NULLS FIRST, w.created_on, w.id) AS turn
    FROM waiting w LEFT JOIN served s ON s.owner = w.owner
  ), next AS (
    SELECT j.id FROM pgboss.job j JOIN ordered o ON o.id = j.id
    WHERE j.name = $1 AND j.state < 'active' ORDER BY o.turn LIMIT $2 FOR UPDATE OF j SKIP LOCKED
  )
  UPDATE pgboss.job j SET state = 'active', started_on = now(),
    retry_count = CASE WHEN j.started_on IS NOT NULL THEN j.retry_count + 1 ELSE j.retry_count END
  FROM next WHERE j.name = $1 AND j.id = next.id
  RETURNING j.id, j.data, j.retry_count AS "retryCount", j.retry_limit AS "retryLimit"`;
