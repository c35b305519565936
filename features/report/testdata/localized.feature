# language: de
@eins
Funktionalität: Über alles
  Wozu es da ist.

  Szenariogrundriss: <n> läuft
    Angenommen a v3 cluster of 1 shard with <n> replicas
    Wenn the cluster starts
    Dann every pod runs

    Beispiele:
      | n |
      | 1 |
