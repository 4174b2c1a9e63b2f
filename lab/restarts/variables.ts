/** How often test/lab/contracts/hourlyRestarts.long.test.ts restarts the node each way: `npm run restarts`. */
export const restartsVariable = "PILLAR_LAB_RESTARTS";
