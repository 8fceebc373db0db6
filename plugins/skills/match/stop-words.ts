/** Words that do not describe a task: those of any sentence, and those of any request to a coding agent. */
const SENTENCE = `a about above after again against all almost also although always am an and another any anyone anything are
aren around as at away back be became because become been before being below best better between both but by came can cannot
come comes could couldn did didn different do does doesn doing don done down during each either else enough etc even ever every
everyone everything exactly few first for from further get gets getting give given gives go goes going gone good got had has hasn
have haven having he hello her here hers hey hi him his how however i if ignore in inside instead into is isn it its itself just
keep last least less let lets like long lot made make makes making many may maybe me mine more most much must my myself need needs
neither never new next no none nor not nothing now of off often ok okay old on once one only onto or other others otherwise our
ours out outside over own per perhaps please possible put quite rather re really right said same say says second see seem seems
seen several shall she should shouldn since so some someone something sometimes soon still such sure take takes than thank thanks
that the their them themselves then there these they thing things think third this those though three through to today together
too toward true try trying two under until up upon us use used uses using usual very via want wants was wasn way we well went were
what whatever when where whether which while who whole whom whose why will wish with within without won would yes yet you your
yours yourself ll ve`;
const REQUEST = `add again agent allow answer ask begin build call change changed changes check code complete content contents
continue correct create current data delete describe directory do does edit error errors example explain fail failed file files
find fix folder follow format full function help implement improve information input install issue items kind know line lines list
look main move name named names number open option order output part parts path place point prepare problem project prompt provide
read redacted remove rename repo repository replace result results return run running runs script scripts set setup should show
simple small start stop support task tell text tool tools type understand update user users value view word words work working
write writing`;

export const STOP_WORDS: ReadonlySet<string> = new Set(`${SENTENCE} ${REQUEST}`.split(/\s+/));
