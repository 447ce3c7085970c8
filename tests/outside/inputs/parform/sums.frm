#-
Off statistics;
Symbols a,b,c,d,e;
Local F = (a+b+c+d+e)^11;
id a = b+c;
.sort
id b = c-d;
.sort
id e = a+2*d;
.sort
id a = 1; id b = 2; id c = 3; id d = 5; id e = 7;
Print +s;
.end
